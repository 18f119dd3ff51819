export function ScraperPage() {
  return <h1 className="p-6 font-semibold text-xl">Web Image Scraper</h1>
}
