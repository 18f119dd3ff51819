import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, messageOf } from '#platform/client/call.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { authApi, Credentials, PasswordChange, Preferences, Registration } from '../contract.ts'
import { authQueries, changeUser, signOutChannel } from './queries.ts'

const unreachable = 'The server could not be reached. Please try again.'

export function useLogin() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (credentials: Credentials) => call<typeof authApi.login>('POST /api/login', { body: credentials }),
    onSuccess: (user) => {
      changeUser(queryClient, user)
      toastSuccess('Welcome back!', 'You have successfully logged in.')
    },
    onError: (error) => toastError('Login failed', messageOf(error, unreachable)),
  })
}

export function useRegister() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (registration: Registration) =>
      call<typeof authApi.register>('POST /api/register', { body: registration }),
    onSuccess: (user) => {
      changeUser(queryClient, user)
      toastSuccess('Welcome to Albumen!', 'Your account has been created successfully.')
    },
    onError: (error) => toastError('Registration failed', messageOf(error, unreachable)),
  })
}

export function useLogout() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call<typeof authApi.logout>('POST /api/logout'),
    onSuccess: () => {
      changeUser(queryClient, null)
      const otherTabs = new BroadcastChannel(signOutChannel)
      otherTabs.postMessage(null)
      otherTabs.close()
      toast({ title: 'Goodbye!', description: 'You have been logged out successfully.' })
    },
    onError: (error) => toastError('Logout failed', messageOf(error, unreachable)),
  })
}

export function useChangePreferences() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (changes: Preferences) =>
      call<typeof authApi.changePreferences>('PATCH /api/user/preferences', { body: changes }),
    onSuccess: (preferences) => {
      queryClient.setQueryData(authQueries.user().queryKey, (user) => user && { ...user, preferences })
      toastSuccess('Saved', 'Your settings have been saved.')
    },
    onError: (error) => toastError("Couldn't save", messageOf(error, unreachable)),
  })
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (change: PasswordChange) =>
      call<typeof authApi.changePassword>('PUT /api/user/password', { body: change }),
    onSuccess: () => toastSuccess('Password changed', "You're still signed in here and signed out on other devices."),
    onError: (error) => toastError('Failed to change password', messageOf(error, unreachable)),
  })
}
