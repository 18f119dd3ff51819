import { useState } from 'react'
import { Logo } from '#ui/logo.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { ThemeToggle } from '#ui/theme-toggle.tsx'
import { LoginForm } from './login-form.tsx'
import { RegisterForm } from './register-form.tsx'
import { WelcomePanel } from './welcome-panel.tsx'

export function AuthPage() {
  const [tab, setTab] = useState('login')
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(30rem,5fr)_7fr]">
      <main className="flex flex-col px-5 pt-4 pb-10 sm:px-8 sm:pt-6">
        <header className="flex items-center justify-between">
          <span className="flex items-center gap-2.5 font-semibold text-lg tracking-tight">
            <Logo />
            Albumen
          </span>
          <ThemeToggle />
        </header>
        <div className="mx-auto flex w-full max-w-sm grow flex-col justify-center pt-10 lg:pb-16">
          <h1 className="text-balance font-semibold text-2xl">Your pictures, well kept</h1>
          <p className="mt-2 text-muted">
            {tab === 'login' ? 'Log in to open your library.' : 'One account, and your library is ready.'}
          </p>
          <Tabs value={tab} onValueChange={setTab} className="mt-8">
            <TabList label="Login or Register" className="mb-6">
              <Tab value="login">Login</Tab>
              <Tab value="register">Register</Tab>
            </TabList>
            {/* As high as the longer form, so that nothing moves between the two where they stand in the middle. */}
            <div className="lg:min-h-96">
              <TabPanel value="login">
                <LoginForm onRegister={() => setTab('register')} />
              </TabPanel>
              <TabPanel value="register">
                <RegisterForm onLogin={() => setTab('login')} />
              </TabPanel>
            </div>
          </Tabs>
        </div>
      </main>
      <WelcomePanel />
    </div>
  )
}
