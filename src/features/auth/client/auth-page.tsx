import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Logo } from '#ui/logo.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { ThemeToggle } from '#ui/theme/theme-toggle.tsx'
import { LoginForm, RegisterForm } from './auth-forms.tsx'
import { authQueries } from './queries.ts'
import { WelcomePanel } from './welcome-panel.tsx'

/** `wasSignedIn`: the user has just signed out, here or in another tab. */
export function AuthPage({ wasSignedIn }: { wasSignedIn: boolean }) {
  // The first visitor starts with registration, unless they have chosen a tab or typed before the response.
  const { isFirst = false, isOpen = true } = useQuery(authQueries.registration()).data ?? {}
  const [chosen, setTab] = useState<string>()
  const tab = isOpen ? (chosen ?? (isFirst ? 'register' : 'login')) : 'login'
  // Touch devices get no initial focus, since their keyboard would cover half of the page.
  const isArriving = chosen === undefined && window.matchMedia('(pointer: fine)').matches
  return (
    <div data-spans-window className="grid min-h-dvh lg:grid-cols-[minmax(30rem,5fr)_7fr]">
      <main className="flex flex-col px-5 pt-4 pb-10 sm:px-8 sm:pt-6">
        {/* Aligns the icon, not the button around it, with the form. */}
        <header className="-mr-2.5 flex items-center justify-between">
          <span className="flex items-center gap-2.5 font-semibold text-lg tracking-tight">
            <Logo />
            Albumen
          </span>
          <ThemeToggle />
        </header>
        <div className="mx-auto flex w-full max-w-sm grow flex-col justify-center pt-10 lg:pb-16">
          <h1 className="text-balance font-semibold text-2xl">Your pictures, well kept</h1>
          <p className="mt-2 text-pretty text-muted">{greeting({ tab, isFirst, wasSignedIn })}</p>
          <Tabs value={tab} onValueChange={setTab} className="mt-8">
            <TabList label="Login or Register" className="mb-6">
              <Tab value="login">Login</Tab>
              {isOpen && <Tab value="register">Register</Tab>}
            </TabList>
            {/* The height of the longer form, so that switching does not move the vertically centered page. */}
            <div className="lg:min-h-96" onInput={() => setTab(tab)}>
              <TabPanel value="login">
                <LoginForm isFocused={isArriving} onRegister={isOpen ? () => setTab('register') : undefined} />
              </TabPanel>
              <TabPanel value="register">
                <RegisterForm isFocused={isArriving} onLogin={() => setTab('login')} />
              </TabPanel>
            </div>
          </Tabs>
        </div>
      </main>
      <WelcomePanel />
    </div>
  )
}

function greeting({ tab, isFirst, wasSignedIn }: { tab: string; isFirst: boolean; wasSignedIn: boolean }) {
  if (isFirst) return 'No accounts yet. The first account becomes the administrator.'
  if (tab === 'register') return 'Create an account to start your library.'
  return wasSignedIn ? "You've been signed out. Sign in to open your library." : 'Sign in to open your library.'
}
