import '#platform/client/disable-zod-jit.ts'
import '#ui/theme/tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '#platform/client/query-client.ts'
import { watchHistory } from '#ui/history-guard.ts'
import { pressOnce } from '#ui/keys/press-once.ts'
import { ignoreSecondPress } from '#ui/layers/second-press.ts'
import { Toaster } from '#ui/notices/toaster.tsx'
import { followTheme } from '#ui/theme/theme.ts'
import { noticeSignedOut } from './notice-signed-out.ts'
import { Router } from './router.tsx'

followTheme()
watchHistory()
pressOnce()
ignoreSecondPress()
noticeSignedOut(queryClient)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router />
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
)
