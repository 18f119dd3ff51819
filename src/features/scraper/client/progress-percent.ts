import type { RunProgress } from '../contract.ts'

/** 10 at the start, up to 90 while images arrive, 100 at the end; 0 when no run is active. */
export function progressPercent(progress: Pick<RunProgress, 'step' | 'current' | 'total'> | null): number {
  if (progress?.step === 'starting') return 10
  if (progress?.step === 'processing') return 10 + (progress.total > 0 ? (80 * progress.current) / progress.total : 0)
  return progress?.step === 'complete' ? 100 : 0
}
