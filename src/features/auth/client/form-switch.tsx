type FormSwitchProps = { question: string; answer: string; onSelect: () => void }

/** The line under a form that leads to the other one. */
export function FormSwitch({ question, answer, onSelect }: FormSwitchProps) {
  return (
    <p className="text-center text-muted text-sm">
      {question}{' '}
      <button
        type="button"
        tabIndex={0}
        onClick={onSelect}
        className="rounded-sm font-medium text-ink underline decoration-line-strong underline-offset-4 hover:decoration-current"
      >
        {answer}
      </button>
    </p>
  )
}
