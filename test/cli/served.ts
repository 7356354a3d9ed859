import type { Started } from './workbench.ts'

/** A line of a service's log. */
export type LogLine = Record<string, unknown> & { event: string; level: string }

/**
 * Resolves with the first line of the log that has this event and these fields; rejects if the process ends
 * before it.
 */
export async function logged(
  { child, ended }: Started,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<LogLine> {
  const { promise, resolve, reject } = Promise.withResolvers<LogLine>()
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    try {
      const found = linesOf(said.slice(0, said.lastIndexOf('\n') + 1)).find(
        (line) => line.event === event && has(line, fields),
      )
      if (found !== undefined) resolve(found)
    } catch (error) {
      reject(error)
    }
  })
  void ended.then(({ stderr }) => reject(new Error(`no ${event} in ${stderr}`)))
  return await promise
}

function has(line: LogLine, fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).every(([name, value]) => line[name] === value)
}

/** Parses each line of a log. Throws unless it is a JSON object without duplicate names. */
export function linesOf(stderr: string): LogLine[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const parsed = JSON.parse(line) as LogLine
      if (JSON.stringify(parsed) !== line) throw new Error(`not strict: ${line}`)
      return parsed
    })
}

/** The setting by which only one job has a schedule. */
export function onlyJob(job: string, schedule?: string): string {
  const own = schedule === undefined ? [] : [`${job}: ${schedule}`]
  const rest = ALL.filter((name) => name !== job).map((name) => `${name}: never`)
  return `jobs: {${[...own, ...rest].join(', ')}}`
}

const ALL = [
  'users',
  'phone-numbers',
  'whiteboard-archives',
  'whiteboards',
  'session-reports',
  'recordings',
  'number-settings',
  'number-details',
  'recording-details',
  'user-details',
]

/** The setting by which no report is scheduled. */
export const NO_REPORTS = `reports: {jobs: {${[
  'session-quality-report',
  'number-inventory-report',
  'access-review-report',
  'recordings-report',
  'whiteboard-audit-report',
  'reconciliation-report',
]
  .map((name) => `${name}: {schedule: never}`)
  .join(', ')}}}`
