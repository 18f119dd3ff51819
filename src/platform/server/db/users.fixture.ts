/** A row of `users` with nothing in it but a name. */
export const userNamed = (name: string) => ({
  username: name,
  username_key: name,
  email: `${name}@example.com`,
  email_key: `${name}@example.com`,
  password_hash: 'x',
  created_at: 0,
})
