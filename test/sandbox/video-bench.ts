import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { DAY_MS, utcDay } from '../../src/core/time/time.ts'
import { type Answered, type Caller, videoCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'

export const NOW_MS = Date.parse('2026-06-10T09:00:00Z')

export interface Listed {
  session_id: string
  recording_files: { id?: string; file_type: string; deleted_time?: string }[]
  participant_video_files?: { id: string }[]
}

/** A sandbox, and a caller that makes a new token for each call, so that the token never expires. */
export interface VideoBench {
  sandbox: Sandbox
  caller: Caller
  /** Returns a session with participants' videos and a file without an ID, and without files in the trash. */
  live(): Promise<Listed>
  /** Returns the session as the window, the trash of sessions and the trash of files show it now. */
  shown(session: string): Promise<Record<'window' | 'session' | 'file', Listed | undefined>>
  /** Patches a session's recording, also in ways that no API call can. */
  change(session: string, patch: object): void
}

export async function withVideo(
  options: SandboxOptions,
  work: (bench: VideoBench) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: SMALL_SIZES, ...options })
  const now = (): Caller => videoCaller(sandbox)
  const caller: Caller = {
    get: (...asked) => now().get(...asked),
    send: (...asked) => now().send(...asked),
    drain: (...asked) => now().drain(...asked),
  }
  const list = async (query: Record<string, string>): Promise<Listed[]> =>
    (await caller.drain('/videosdk/recordings', 'sessions', {
      ...query,
      page_size: '300',
    })) as Listed[]
  const window = { from: utcDay(NOW_MS - 28 * DAY_MS), to: utcDay(NOW_MS) }
  const trash = (trash_type: string) => list({ trash: 'true', trash_type })
  try {
    await work({
      sandbox,
      caller,
      async live() {
        const singly = new Set((await trash('recording_file')).map((one) => one.session_id))
        const found = (await list(window)).find(
          (one) =>
            !singly.has(one.session_id) &&
            one.recording_files.some(({ id }) => id === undefined) &&
            one.participant_video_files !== undefined,
        )
        if (found === undefined) throw new Error('no such recording')
        return found
      },
      async shown(session) {
        const one = (all: Listed[]) => all.find(({ session_id }) => session_id === session)
        return {
          window: one(await list(window)),
          session: one(await trash('session_recordings')),
          file: one(await trash('recording_file')),
        }
      },
      change: (id, patch) =>
        void sandbox.mutate({ ops: [{ kind: 'recordings', action: 'change', id, patch }] }),
    })
  } finally {
    await sandbox.close()
  }
}

export function pathOf(session: string, file?: string): string {
  const once = encodeURIComponent(session)
  // The documents require that such an ID is encoded twice.
  const id = /^[+/]|\/\//.test(session) ? encodeURIComponent(once) : once
  return `/videosdk/sessions/${id}/recordings${file === undefined ? '' : `/${file}`}`
}

export function told({ status, body }: Answered): [number, unknown] {
  return [status, body.code]
}
