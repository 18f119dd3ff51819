import { Component, type ReactNode } from 'react'
import { Meanwhile } from './lazy-part.tsx'
import { toastError } from './notices/toast.ts'

/** The connection is back, or somebody is, who may have seen to it. */
const comingBack = ['online', 'focus'] as const

type Props = {
  /** Ends the wish for it, so that the next one is told again. What nobody wishes for by a press is asked for again by itself. */
  onFailed?: () => void
  children: ReactNode
}

/** Around a part that is loaded when it is first wanted. One that does not come is told, and what is around it stays. */
export class PartOnDemand extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }
  /** While it was being asked for again: that may have begun too early. */
  isBackMeanwhile = false

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch() {
    if (this.isBackMeanwhile) return this.askAgain()
    // A module that it needs in turn may be what did not come: browsers ask for that again only when the page is loaded anew.
    toastError('Something went wrong', "Couldn't load this. Check your connection, then refresh the page.")
    const { onFailed } = this.props
    if (onFailed) return onFailed()
    for (const event of comingBack) window.addEventListener(event, this.askAgain)
  }

  override componentWillUnmount() {
    for (const event of comingBack) window.removeEventListener(event, this.askAgain)
  }

  askAgain = () => {
    this.isBackMeanwhile = !this.state.hasFailed
    this.setState({ hasFailed: false })
  }

  override render() {
    return !this.state.hasFailed && <Meanwhile>{this.props.children}</Meanwhile>
  }
}
