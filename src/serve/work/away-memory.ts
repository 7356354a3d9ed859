import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Observer } from '../../core/define/observer.ts'
import { makePrivateDirectory } from '../../core/private-directory.ts'
import type { AwayMemory, AwayNote } from './watch-database.ts'

/** A file of the state directory. Where it cannot be read or written, the alert is as good as not told. */
export function createAwayMemory(stateDirectory: string, observer: Observer): AwayMemory {
  const file = join(stateDirectory, 'database-away.json')
  return {
    read() {
      try {
        return readNote(JSON.parse(readFileSync(file, 'utf8')))
      } catch {
        return undefined
      }
    },
    keep(note) {
      try {
        if (note === undefined) return rmSync(file, { force: true })
        makePrivateDirectory(stateDirectory)
        writeFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600 })
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'error'
        observer.event('alert not kept', { code, level: 'warn' })
      }
    },
  }
}

function readNote(value: unknown): AwayNote | undefined {
  const { code, sinceMs, told } = (value ?? {}) as Partial<Record<keyof AwayNote, unknown>>
  if (typeof sinceMs !== 'number' || typeof told !== 'object' || told === null) return undefined
  const times = Object.entries(told).filter(([, atMs]) => typeof atMs === 'number')
  if (times.length === 0) return undefined
  const down = code === 'service_down' ? code : 'database_away'
  return { code: down, sinceMs, told: Object.fromEntries(times) }
}
