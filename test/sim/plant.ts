import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PLANTED } from './planted.ts'

/**
 * A preload that puts one bug into the source as it is loaded. This is the only way in: the product itself
 * knows nothing of it.
 */
const name = process.env.PLANTED ?? ''
const bug = PLANTED[name]
if (bug === undefined) throw new Error(`no bug ${name} is known`)
let planted = 0

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith('file:') || !fileURLToPath(url).endsWith(`/${bug.file}`)) return loaded
    const source = String(loaded.source)
    if (source.split(bug.find).length !== 2)
      throw new Error(
        `${bug.file} holds what ${name} replaces ${source.split(bug.find).length - 1} times`,
      )
    planted++
    return { ...loaded, source: source.replace(bug.find, () => bug.replace) }
  },
})
process.once('exit', (code) => {
  if (code === 0 && planted !== 1) process.exitCode = 3
})
