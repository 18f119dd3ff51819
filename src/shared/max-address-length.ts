/** What is longer is no address: hardly any server takes it, and what the library keeps of it would have no end. */
export const maxAddressLength = 8192
