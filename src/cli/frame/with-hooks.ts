import type { OpenWarehouse } from '../../account/wire.ts'
import type { Hooks } from '../../serve/work/hooks.ts'
import type { Context } from './context.ts'

/** Waits for the hooks that `work` started, and prints those that failed. Keeps the exit code. */
export async function withHooks<T>(
  { output, signal }: Pick<Context, 'output' | 'signal'>,
  opened: OpenWarehouse,
  work: (hooks: Hooks) => Promise<T>,
): Promise<T> {
  const { createHooks } = await import('../../serve/work/hooks.ts')
  const failed: string[] = []
  const hooks = createHooks(opened, { signal, onFailed: (text) => failed.push(text) })
  try {
    return await work(hooks)
  } finally {
    if (hooks.underWay() > 0) output.note('waiting for hooks to end (Ctrl-C stops them)')
    await hooks.settled()
    for (const text of failed) output.note(`warning: ${text}`)
  }
}
