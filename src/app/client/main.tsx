import '#ui/tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '#platform/client/query-client.ts'
import { followTheme } from '#ui/theme.ts'
import { noticeSignedOut } from './notice-signed-out.ts'
import { Router } from './router.tsx'

// Nothing is said in the first moment of a visit, so the notices need not hold it up.
const Toaster = lazy(async () => ({ default: (await import('#ui/toaster.tsx')).Toaster }))

followTheme()
noticeSignedOut(queryClient)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router />
      <Suspense>
        <Toaster />
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
)
