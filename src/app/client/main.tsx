import '#platform/client/disable-zod-jit.ts'
import '#ui/theme/tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '#platform/client/query-client.ts'
import { Toaster } from '#ui/notices/toaster.tsx'
import { ignoreRepeatedEnter, ignoreSecondClick } from '#ui/repeated-presses.ts'
import { followTheme } from '#ui/theme/theme.ts'
import { watchHistory } from '#ui/unsaved-changes.ts'
import { handleSignedOut } from './handle-signed-out.ts'
import { Router } from './router.tsx'

followTheme()
watchHistory()
ignoreRepeatedEnter()
ignoreSecondClick()
handleSignedOut(queryClient)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router />
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
)
