import { Badge } from '#ui/badge.tsx'
import type { AuditSummary } from '../contract.ts'

const words = {
  running: 'Running',
  stopping: 'Stopping',
  stopped: 'Stopped',
  ended: 'Complete',
  failed: 'Failed',
} satisfies Record<AuditSummary['status'], string>

export function StatusBadge({ status }: Pick<AuditSummary, 'status'>) {
  const tone = status === 'ended' ? 'success' : status === 'failed' ? 'danger' : 'neutral'
  return <Badge tone={tone}>{words[status]}</Badge>
}
