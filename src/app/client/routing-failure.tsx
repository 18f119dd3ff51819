import { Component, type ReactNode } from 'react'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ChunkLoadError } from '#ui/lazy-component.tsx'

type Props = { path: string; className?: string; children: ReactNode }
type State = { failure: { error: unknown } | null; path: string }

/** Shown instead of a screen that failed to load or render; navigating to another path tries again. */
export class RoutingFailure extends Component<Props, State> {
  override state: State = { failure: null, path: this.props.path }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: { error } }
  }

  static getDerivedStateFromProps({ path }: Props, state: State): State | null {
    return path === state.path ? null : { failure: null, path }
  }

  override render() {
    const { failure } = this.state
    if (!failure) return this.props.children
    return (
      <div role="alert" className={this.props.className ?? 'grid min-h-dvh place-items-center'}>
        <EmptyState
          isScreen
          drawing="unplugged"
          title="Something went wrong. Please refresh the page."
          description={
            failure.error instanceof ChunkLoadError && "Part of the page didn't load. Please check your connection."
          }
          action={<Button onClick={() => window.location.reload()}>Refresh</Button>}
        />
      </div>
    )
  }
}
