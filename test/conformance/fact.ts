/** What holds a fact, or why nothing does. */
export type Held =
  /** Checked by `answers.test.ts` itself. */
  | { by: 'check' }
  | { by: 'test'; file: string; title: string }
  /** The document says only that it does not say, or what others say in full. */
  | { by: 'nothing'; state: 'open' | 'not built' | 'not held'; reason: string }

/** What a row of a document says, or one of the things that it says. */
export interface Fact {
  id: string
  section: string
  /** The row of the section, from 1. */
  at: number
  says: string
  held: Held
}

/**
 * Reads facts as they are written in the tables beside this: `= section`, then for each fact a line with its
 * row, its name and what it says, and below it what holds it: `file: title of a test`, or a state and its
 * reason.
 */
export function readFacts(table: string): Fact[] {
  return table
    .trim()
    .split(/^= /m)
    .filter((block) => block !== '')
    .flatMap((block) => {
      const [section = '', ...lines] = block.trimEnd().split('\n')
      const facts: Fact[] = []
      for (let at = 0; at < lines.length; at += 2)
        facts.push(readFact(section, lines[at] ?? '', lines[at + 1] ?? ''))
      return facts
    })
}

function readFact(section: string, line: string, below: string): Fact {
  const [, at, name = '', says = ''] = /^(\d+) (\S+) (.+)$/.exec(line) ?? []
  const [, by = '', rest = ''] = /^ {2}([^:]+): (.+)$/.exec(below) ?? []
  if (says === '' || rest === '') throw new Error(`${section}: cannot read ${line} / ${below}`)
  const state = STATES.find((one) => one === by)
  const held: Held =
    state === undefined
      ? { by: 'test', file: `test/${by}.test.ts`, title: rest }
      : { by: 'nothing', state, reason: rest }
  return { id: `${section}.${name}`, section, at: Number(at), says, held }
}

const STATES = ['open', 'not built', 'not held'] as const
