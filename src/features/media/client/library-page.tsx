export function LibraryPage() {
  return <h1 className="p-6 font-semibold text-xl">All Media</h1>
}
