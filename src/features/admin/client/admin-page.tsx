export function AdminPage() {
  return <h1 className="p-6 font-semibold text-xl">Admin Panel</h1>
}
