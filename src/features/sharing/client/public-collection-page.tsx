export function PublicCollectionPage() {
  return <h1 className="p-6 font-semibold text-xl">Public collection</h1>
}
