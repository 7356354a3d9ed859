import type { Answers } from './asking.ts'

/** The values at a path of an answer; what stands in a list stands there too. `''` is the answer itself. */
export function valuesAt(answer: unknown, path: string): unknown[] {
  const steps = path === '' ? [] : path.split('.')
  let found: unknown[] = [answer].flat()
  for (const step of steps)
    found = found.flatMap((one) => {
      const held = typeof one === 'object' && one !== null && Object.hasOwn(one, step)
      return held ? (one as Record<string, unknown>)[step] : []
    })
  return found
}

export function shownBy(answers: Answers, operation: string, path: string): unknown[] {
  return (answers.get(operation) ?? []).flatMap((answer) => valuesAt(answer, path))
}
