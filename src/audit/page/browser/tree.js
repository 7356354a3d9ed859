/**
 * The root of the tree (RFC 6962) that an entry and its proof give; undefined where they do not fit.
 * @param {string} entry @param {{ leaf: number, size: number }} place
 * @param {readonly (string | undefined)[]} proof
 */
function rootOf(entry, { leaf, size }, proof) {
  if (leaf < 0 || leaf >= size) return undefined
  let node = hashOf(0, new TextEncoder().encode(entry))
  let at = leaf
  let used = 0
  for (let width = size; width > 1; width = Math.ceil(width / 2)) {
    // The last of an odd number goes up as it is.
    if (at !== width - 1 || at % 2 === 1) {
      const sibling = proof[used++]
      if (sibling === undefined) return undefined
      const pair = at % 2 === 0 ? node + sibling : sibling + node
      node = hashOf(1, fromHex(pair))
    }
    at = Math.floor(at / 2)
  }
  return used === proof.length ? node : undefined
}

/** @param {number} kind @param {Uint8Array} bytes */
function hashOf(kind, bytes) {
  return new Sha256().update(Uint8Array.of(kind)).update(bytes).digest()
}

/** @param {string} hex */
function fromHex(hex) {
  return Uint8Array.from({ length: hex.length / 2 }, (_none, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  )
}

/** The root (RFC 6962) over leaves, in hex. @param {readonly string[]} leaves @returns {string} */
function treeOf(leaves) {
  const [first = '', second] = leaves
  if (second === undefined) return first
  /** @type {string[]} */
  const above = []
  // The last of an odd number goes up as it is.
  for (let at = 0; at < leaves.length; at += 2) {
    const right = leaves[at + 1]
    above.push(right === undefined ? (leaves[at] ?? '') : hashOf(1, fromHex(leaves[at] + right)))
  }
  return treeOf(above)
}
