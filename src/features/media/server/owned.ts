declare const proof: unique symbol

/** A row whose owner was compared with the current user. Only loaders that check create it; see store.ts. */
export type Owned<T> = T & { readonly [proof]: 'the owner was checked' }

/** Only for loaders that put the owner into their WHERE clause. */
export const asOwned = <T>(row: T) => row as Owned<T>
