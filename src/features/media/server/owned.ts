declare const proof: unique symbol

/** A row whose owner was compared with the person who asks. Only the functions that look make one (see store.ts). */
export type Owned<T> = T & { readonly [proof]: 'the owner was checked' }

/** To be called by loaders that put the owner into their WHERE clause, and by nobody else. */
export const asOwned = <T>(row: T) => row as Owned<T>
