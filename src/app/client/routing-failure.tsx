import { Component, type ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'

type Props = { path: string; className?: string; children: ReactNode }
type State = { hasFailed: boolean; path: string }

/** Shown in place of a screen that could not be loaded or drawn; another address gets another try. */
export class RoutingFailure extends Component<Props, State> {
  override state: State = { hasFailed: false, path: this.props.path }

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true }
  }

  static getDerivedStateFromProps({ path }: Props, state: State): State | null {
    return path === state.path ? null : { hasFailed: false, path }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div role="alert" className={this.props.className ?? 'grid min-h-dvh place-items-center'}>
        <EmptyState
          isScreen
          drawing="unplugged"
          title="Something went wrong. Please refresh the page."
          action={<Button onClick={() => window.location.reload()}>Refresh</Button>}
        />
      </div>
    )
  }
}
