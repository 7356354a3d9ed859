import { filesIn } from '../../core/files-in.ts'
import type { SandboxList } from '../protocol/sandbox-list.ts'

/** The lists of the folder: a new file in it needs no line elsewhere. */
const lists: readonly SandboxList[] = (await loadAll('src/sandbox/lists'))
  .flatMap((file) => Object.values(file))
  .filter(isList)

export const listRows = lists.flatMap(({ rows }) => rows ?? [])
export const listAnswers = Object.fromEntries(
  lists.flatMap(({ answers }) => Object.entries(answers)),
)
export const listTruths = Object.fromEntries(lists.flatMap(({ truths }) => Object.entries(truths)))
/** What a token must be granted for them. */
export const listScopes = Object.values(listAnswers).flatMap(({ scopes }) => scopes)

async function loadAll(folder: string): Promise<Readonly<Record<string, unknown>>[]> {
  return await Promise.all([...filesIn(folder).values()].map((address) => import(address)))
}

function isList(value: unknown): value is SandboxList {
  return typeof value === 'object' && value !== null && 'answers' in value && 'truths' in value
}
