import { Link } from 'wouter'
import { buttonClasses } from '#ui/button-classes.ts'
import { Logo } from '#ui/logo.tsx'

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center px-6 py-12">
      <div className="flex max-w-md flex-col items-center text-center">
        <Logo className="size-12" />
        <h1 className="mt-6 font-semibold text-2xl">Page Not Found</h1>
        <p className="mt-2 text-balance text-muted">
          Nothing is mounted at <code className="wrap-anywhere text-ink">{window.location.pathname}</code>. Did you
          forget to add the page to the router?
        </p>
        <Link href="/" className={`${buttonClasses()} mt-6`}>
          Back to the library
        </Link>
      </div>
    </main>
  )
}
