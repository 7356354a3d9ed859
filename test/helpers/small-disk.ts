import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of a few kilobytes, which is really full when it is: for who may make one. */
export interface SmallDisk {
  /** Where it lies for who is within it. */
  folder: string
  /** The same place seen from here. */
  seen: string
  /** What a command begins with to run within it, in a folder. */
  within(folder: string): readonly string[]
  resize(kilobytes: number): void
  close(): Promise<void>
}

/**
 * Why there can be none here; undefined where there can. It takes Linux, and a user who may make name spaces
 * of their own: root may, and most others, but not within every container.
 */
export function noSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} has no name spaces`
  const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'trial', tmpdir()])
  return tried.status === 0 ? undefined : 'this user may not mount a file system'
}

/** It is gone with the process that holds it, whatever becomes of the test. */
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
      // With its name: where the folder alone is told, options are repeated that only root may give.
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
