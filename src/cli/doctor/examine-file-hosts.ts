import { followedApiOf, type OpenAccount } from '../../account/open-account.ts'
import { urlPolicy } from '../../api/call/url-policy.ts'
import { credentialOf, fittingCredentials } from '../../api/files/shown-token.ts'
import { wantsFiles } from '../../archive/work.ts'
import type { ArchiveSettings } from '../../config/archive-settings.ts'
import type { FileSource } from '../../core/define/file-source.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { wireKey } from '../../core/records/record-key.ts'
import { widestSpan } from '../../core/time/widest-span.ts'
import type { WireRecord } from '../../core/values/json.ts'
import { recordingFileSource } from '../../resources/recording-downloads.ts'
import { activityFiles } from '../../resources/whiteboard-archives.ts'
import { attempt, type Finding } from './findings.ts'

/** Records that name files, from the lists and details that other checks read. */
export interface SeenRecords {
  operation: string
  records: readonly WireRecord[]
}

export interface Looking {
  archive: ArchiveSettings
  seen: readonly SeenRecords[]
  /** Reads one page of a list. */
  list(operation: Operation, args: CallArguments): Promise<readonly WireRecord[]>
}

/**
 * Reports the hosts of all file addresses seen, and their settings; if none was seen, lists a few parents.
 * Fetches no file: only a run shows whether a host accepts the requests.
 */
export async function examineFileHosts(
  open: Pick<OpenAccount, 'settings' | 'authorities'>,
  looking: Looking,
): Promise<Finding[]> {
  const check = `${open.settings.name} files`
  const { archive } = looking
  const wanted = SOURCES.filter(({ source }) => wantsFiles({ settings: archive }, source))
  return await attempt(check, async () => {
    const findings: Finding[] = []
    for (const { source, what, ...from } of wanted)
      for (const url of await lookFor(source, looking, from))
        findings.push({ ...judge(open, { archive, source, what, url }), check })
    return findings
  })
}

async function lookFor(
  source: FileSource,
  { seen, list }: Looking,
  { shownBy, parents }: { shownBy: readonly string[]; parents: string },
): Promise<URL[]> {
  const hosts = new Map<string, URL>()
  const take = (record: WireRecord): void => {
    for (const { url } of source.list.files(ANY_PARENT, record)) {
      const parsed = url === undefined ? null : URL.parse(url)
      if (parsed !== null && hosts.size < MOST_HOSTS) hosts.set(parsed.origin, parsed)
    }
  }
  for (const { operation, records } of seen) if (shownBy.includes(operation)) records.forEach(take)
  const known = seen.filter(({ operation }) => operation === parents).flatMap((one) => one.records)
  for (const { id, start_time: from, end_time: to } of known.slice(0, MOST_LOOKS)) {
    if (hosts.size > 0 || typeof id !== 'string') continue
    const span = widestSpan(textOf(from), textOf(to))
    const page = await list(source.list.operation, source.list.arguments(wireKey(id), span))
    page.forEach(take)
  }
  return [...hosts.values()]
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function judge(
  { settings, authorities }: Pick<OpenAccount, 'settings' | 'authorities'>,
  on: { archive: ArchiveSettings; source: FileSource; what: string; url: URL },
): Omit<Finding, 'check'> {
  const { archive, source, what, url } = on
  const policy = urlPolicy(
    settings.baseUrl,
    archive.hosts,
    followedApiOf(settings, authorities)?.hosts,
  )
  const asking = { policy, authorities, operation: source.download }
  const text = `${what} lie on ${url.host}`
  if (policy.ownOrigins.has(url.origin)) return { state: 'ok', text: `${text}, the API's own host` }
  const credential = credentialOf(asking, url)
  if (credential !== undefined)
    return { state: 'ok', text: `${text}, which archive.hosts trusts with ${credential}` }
  if (policy.hosts.has(url.host))
    return { state: 'ok', text: `${text}, which archive.hosts allows without a token` }
  const fitting = fittingCredentials(asking).join(' or ')
  return {
    state: 'failed',
    text: `${text}, which archive.hosts does not name`,
    todo:
      `if it is the service's, add {host: ${url.host}, credential: ${fitting}} to archive.hosts, or ` +
      'its name alone where the addresses are signed',
  }
}

const SOURCES = [
  {
    source: activityFiles,
    what: 'the files of activities',
    shownBy: ['whiteboard_sessions.get'],
    parents: 'whiteboard_sessions.list',
  },
  {
    source: recordingFileSource,
    what: 'the files of recordings',
    shownBy: ['recordings.list', 'recordings.get'],
    // The list itself contains the files.
    parents: '',
  },
]
/** Any parent will do, because the files' owner does not matter here. */
const ANY_PARENT = 'any'
const MOST_HOSTS = 10
export const MOST_LOOKS = 5
