import { Component, type ReactNode } from 'react'
import { Meanwhile } from './lazy-part.tsx'
import { toastError } from './notices/toast.ts'

type Props = {
  /** Ends the wish for it, so that the next one is told again. */
  onFailed?: () => void
  children: ReactNode
}

/** Around a part that is loaded when it is first wanted. One that does not come is told, and what is around it stays. */
export class PartOnDemand extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch() {
    toastError('Something went wrong', 'This could not be loaded. Please check your connection, then refresh the page.')
    this.props.onFailed?.()
  }

  override render() {
    return !this.state.hasFailed && <Meanwhile>{this.props.children}</Meanwhile>
  }
}
