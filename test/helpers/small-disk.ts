import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of a few kilobytes that can really be full. Not every user can create one. */
export interface SmallDisk {
  /** Its path for a process inside the namespace. */
  folder: string
  /** The same folder as seen from outside. */
  seen: string
  /** The command prefix that runs a command inside the namespace, in a folder. */
  within(folder: string): readonly string[]
  resize(kilobytes: number): void
  close(): Promise<void>
}

/**
 * Returns why this machine cannot have one; undefined if it can. It needs Linux, and a user who may create
 * namespaces: root and most others, but not in every container.
 */
export function noSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} has no name spaces`
  const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'trial', tmpdir()])
  return tried.status === 0 ? undefined : 'this user may not mount a file system'
}

/** Opens one. It disappears with its process, even if the test crashes. */
export async function openSmallDisk(kilobytes: number): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-disk-'))
  const script = 'mount -t tmpfs -o "size=$1k" small "$2" && echo ready && exec cat'
  const args = ['-rm', 'sh', '-c', script, 'sh', String(kilobytes), folder]
  const holder: ChildProcess = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(holder.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  const enter = ['-t', String(holder.pid), '-U', '-m', '--preserve-credentials']
  return {
    folder,
    seen: `/proc/${holder.pid}/root${folder}`,
    within: (at) => ['nsenter', ...enter, 'sh', '-c', 'cd "$0" && exec "$@"', at],
    resize(to) {
      // With the device's name: without it, `mount` repeats options that only root may set.
      execFileSync('nsenter', [...enter, 'mount', '-o', `remount,size=${to}k`, 'small', folder])
    },
    async close() {
      const ended = once(holder, 'exit')
      holder.stdin?.end()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
