/** Loaded before the program: says at its end whether anything was put on the prototypes that all share. */
const watched = [Object, Array, Function, String, Map].map(({ name, prototype }) => ({
  name,
  prototype: prototype as object,
  own: Reflect.ownKeys(prototype as object).length,
}))

process.on('exit', () => {
  const changed = watched.filter(({ prototype, own }) => Reflect.ownKeys(prototype).length !== own)
  const verdict =
    changed.length === 0 && !('polluted' in {})
      ? 'prototypes are as they were'
      : `polluted: ${changed.map(({ name }) => name).join(', ')}`
  process.stderr.write(`${verdict}\n`)
})
