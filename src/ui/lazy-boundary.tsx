import { Component, type ReactNode } from 'react'
import { LazyFallback } from './lazy-component.tsx'
import { toastError } from './notices/toast.ts'

/** Events after which loading may succeed: the connection or the user is back. */
const retryEvents = ['online', 'focus'] as const

type Props = {
  /** Called on failure, e.g. to close what the user opened. Without it, loading is retried automatically. */
  onFailed?: () => void
  children: ReactNode
}

/** Wraps lazy components. A failure to load shows a toast and leaves the rest of the page intact. */
export class LazyBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  /** A retry event came while a retry was running, so one more follows if it fails. */
  shouldRetryAgain = false

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch() {
    if (this.shouldRetryAgain) return this.retry()
    // The user is told to refresh, since browsers do not retry the failed import of a module's own dependency.
    toastError('Something went wrong', "Couldn't load this. Check your connection, then refresh the page.")
    const { onFailed } = this.props
    if (onFailed) return onFailed()
    for (const event of retryEvents) window.addEventListener(event, this.retry)
  }

  override componentWillUnmount() {
    for (const event of retryEvents) window.removeEventListener(event, this.retry)
  }

  retry = () => {
    this.shouldRetryAgain = !this.state.hasFailed
    this.setState({ hasFailed: false })
  }

  override render() {
    return !this.state.hasFailed && <LazyFallback>{this.props.children}</LazyFallback>
  }
}
