export function CollectionsTab() {
  return <h2 className="font-semibold text-xl">Collections</h2>
}
