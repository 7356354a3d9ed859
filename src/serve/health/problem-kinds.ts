import type { FoundRun } from './read-runs.ts'

/**
 * What a problem says whichever slice it is about: two problems of one kind differ in instants, counts and
 * IDs alone. The numbers that tell kinds apart, a status or a code of the service, are kept.
 */
export function problemKind(text: string, slice = ''): string {
  const [, own = ''] = /=(.+)$/.exec(slice) ?? []
  const impersonal = own === '' ? text : text.replaceAll(own, '#')
  return withoutCall(impersonal)
    .replace(NUMBERED, (all: string, kept: string | undefined) => (kept === undefined ? '#' : all))
    .replace(LONG_NAME, '#')
}

/** Without the number of the call, which differs from call to call; the run's record keeps it. */
export function withoutCall(text: string): string {
  return text.replace(TRACKING_ID, '')
}

/** What a run said that neither its own error says nor one of the slices that are shown with it. */
export function otherProblems({ run, slices }: Pick<FoundRun, 'run' | 'slices'>): string[] {
  const { error = '', summary } = run
  const shown = new Set(
    slices.map(({ stream, slice, error: reason }) => `${stream} ${slice}: ${reason}`),
  )
  return (summary.problems ?? []).filter(
    (problem) => !shown.has(problem) && !error.includes(problem),
  )
}

const TRACKING_ID = / \(x-svc-trackingid [^)]*\)/g
/** A word with a digit, or the number of a status or a code with what names it. */
const NUMBERED = /(\b(?:HTTP|code|status) )?[\w.:+%@~-]*\d[\w.:+%@~-]*/g
const LONG_NAME = /[\w-]{24,}/g
