import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { websiteQueries } from '#features/websites/client/queries.ts'
import { fold } from '#shared/fold.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { maxNameLength } from '../../limits.ts'

type CollectionFormValues = { name: string; description?: string; company?: string }

type CollectionFormProps = {
  title: string
  description?: string
  submitLabel: string
  initial?: CollectionFormValues
  /** False when renaming, which keeps the company. */
  hasCompany?: boolean
  isPending: boolean
  /** Whether a further field is wrong. */
  isDisabled?: boolean
  /** Further fields of one of the dialogs. */
  children?: ReactNode
  onSubmit: (values: CollectionFormValues) => void
  onClose: () => void
}

/** The fields shared by creating, renaming and duplicating. Empty optional fields are not sent. */
export function CollectionForm(props: CollectionFormProps) {
  const {
    title,
    description,
    submitLabel,
    initial,
    hasCompany = true,
    isPending,
    isDisabled = false,
    children,
    onSubmit,
    onClose,
  } = props
  const [name, setName] = useState(initial?.name ?? '')
  const [words, setWords] = useState(initial?.description ?? '')
  const [company, setCompany] = useState(initial?.company ?? '')
  const { data: websites = [] } = useQuery({ ...websiteQueries.list(), enabled: hasCompany })
  const listId = useId()
  const isBlank = name.trim() === ''

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isBlank || isDisabled) return
    onSubmit({
      name: name.trim(),
      ...(words.trim() !== '' && { description: words.trim() }),
      ...(hasCompany && company.trim() !== '' && { company: company.trim() }),
    })
  }

  return (
    <Dialog
      onClose={onClose}
      title={title}
      description={description}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={isBlank || isDisabled} isPending={isPending}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Field label="Name">
          <Input value={name} onChange={(event) => setName(event.target.value)} maxLength={maxNameLength} required />
        </Field>
        <Field label="Description" isOptional>
          <Textarea value={words} onChange={(event) => setWords(event.target.value)} maxLength={2000} />
        </Field>
        {hasCompany && (
          <>
            <Field label="Company" isOptional hint={hintOf(company, websites)}>
              <Input
                list={listId}
                autoComplete="off"
                value={company}
                onChange={(event) => setCompany(event.target.value)}
                maxLength={200}
              />
            </Field>
            <datalist id={listId}>
              {websites.map(({ id, name: website }) => (
                <option key={id} value={website} />
              ))}
            </datalist>
          </>
        )}
        {children}
      </div>
    </Dialog>
  )
}

function hintOf(company: string, websites: readonly { name: string }[]) {
  if (company.trim() === '') return 'Client or website'
  const website = websites.find(({ name }) => fold(name) === fold(company.trim()))
  return website ? `Belongs to the website "${website.name}"` : 'Client or website. A new one is added to Websites.'
}
