export function DatabasePage() {
  return <h1 className="p-6 font-semibold text-xl">Database Viewer</h1>
}
