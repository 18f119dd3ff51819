export function PublicMediaPage() {
  return <h1 className="p-6 font-semibold text-xl">Public media</h1>
}
