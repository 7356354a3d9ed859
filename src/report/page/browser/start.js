/** @param {HTMLElement} part @param {Looks} looks @returns {View | undefined} */
function viewOf(part, looks) {
  const table = part.querySelector('table')
  const box = part.querySelector('.scroll')
  if (table === null || !(box instanceof HTMLElement)) return undefined
  /** @type {Cell[][]} */
  const rows = []
  for (const { textContent } of part.querySelectorAll('script')) {
    /** @type {Cell[][]} */
    const some = JSON.parse(textContent)
    for (const row of some) rows.push(row)
  }
  const columns = [...(table.tHead?.rows[0]?.cells ?? [])].map(({ textContent, dataset }) => ({
    title: textContent,
    format: dataset['format'] ?? 'text',
    tint: dataset['tint'] ?? '',
  }))
  const places = rows.map((_row, place) => place)
  const title = table.caption?.textContent ?? ''
  const asked = { search: '', filters: new Map(), by: undefined, texts: undefined }
  const place = { top: 0, height: 0, drawn: false, tell: () => undefined }
  return { title, box, table, columns, rows, places, looks, ...asked, ...place }
}

/**
 * Adds the search and the count above the table, and a button that shows the filters.
 * @param {View} view @param {HTMLElement} bar
 */
function addTools(view, bar) {
  const search = input(`Search ${view.title}`, 'Search', (words) => {
    view.search = words
    refresh(view)
  })
  const toggle = document.createElement('button')
  toggle.type = 'button'
  toggle.textContent = 'Filters'
  toggle.setAttribute('aria-label', `Filters of ${view.title}`)
  const filters = filterRow(view)
  const open = (/** @type {boolean} */ is) => {
    filters.hidden = !is
    toggle.ariaExpanded = String(is)
  }
  toggle.addEventListener('click', () => open(filters.hidden !== false))
  open(false)
  view.table.tHead?.append(filters)
  const tools = document.createElement('div')
  tools.className = 'tools'
  tools.append(search, toggle)
  const count = document.createElement('output')
  count.className = 'count'
  count.ariaLive = 'polite'
  const printed = document.createElement('p')
  printed.className = 'printed none'
  bar.append(count, tools)
  view.box.after(printed)
  view.tell = (said) => {
    // Writes the count only if it changed, because screen readers read each written count aloud.
    if (count.textContent !== said.count) count.textContent = said.count
    printed.textContent = said.printed
  }
}

/** @param {View} view */
function filterRow(view) {
  const row = document.createElement('tr')
  row.className = 'filters'
  for (const [at, { title, format }] of view.columns.entries()) {
    const cell = document.createElement('td')
    const hint = formatClass(format) === '' ? 'has …' : '> … or < …'
    const element = input(`Filter ${title}`, hint, (words) => {
      view.filters.set(at, words)
      refresh(view)
    })
    cell.append(element)
    row.append(cell)
  }
  return row
}

/** @param {string} label @param {string} placeholder @param {(words: string) => void} onInput */
function input(label, placeholder, onInput) {
  const element = document.createElement('input')
  element.type = 'search'
  element.placeholder = placeholder
  element.ariaLabel = label
  element.spellcheck = false
  element.autocomplete = 'off'
  element.addEventListener('input', () => onInput(element.value))
  return element
}

/** Makes each header a button that sorts: ascending, descending, original order. @param {View} view */
function addSorting(view) {
  const heads = [...(view.table.tHead?.rows[0]?.cells ?? [])]
  for (const [column, head] of heads.entries()) {
    const button = document.createElement('button')
    button.type = 'button'
    button.append(...head.childNodes)
    head.append(button)
    head.ariaSort = 'none'
    button.addEventListener('click', () => {
      const before = head.ariaSort
      for (const other of heads) other.ariaSort = 'none'
      if (before !== 'descending') head.ariaSort = before === 'none' ? 'ascending' : 'descending'
      view.by =
        head.ariaSort === 'none' ? undefined : { column, down: head.ariaSort === 'descending' }
      refresh(view)
    })
  }
}

/**
 * Draws tables when they become visible, except those that the page already shows completely.
 * @param {readonly View[]} views
 */
function drawInSight(views) {
  /** @type {Map<Element, View>} */
  const waiting = new Map()
  const seen = new IntersectionObserver(
    (entries) => {
      const near = entries
        .filter(({ isIntersecting }) => isIntersecting)
        .map(({ target }) => target)
      for (const box of near) seen.unobserve(box)
      const undrawn = near.flatMap((box) => waiting.get(box) ?? []).filter(({ drawn }) => !drawn)
      fixBoxes(undrawn)
      undrawn.forEach(draw)
    },
    { rootMargin: '100%' },
  )
  for (const view of views) {
    const shown = view.table.tBodies[0]?.rows.length ?? 0
    tellCount(view, shown)
    view.box.classList.toggle('tall', inLines(view))
    if (shown === view.rows.length) continue
    waiting.set(view.box, view)
    seen.observe(view.box)
  }
}

/** Marks the visible section in the table of contents. */
function followSections() {
  const links = new Map(
    [...document.querySelectorAll('nav a')].map((link) => [link.getAttribute('href'), link]),
  )
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        for (const link of links.values()) link.removeAttribute('aria-current')
        links.get(`#${target.id}`)?.setAttribute('aria-current', 'true')
      }
    },
    { rootMargin: '-20% 0px -75% 0px' },
  )
  for (const section of document.querySelectorAll('section')) seen.observe(section)
}

function start() {
  const looks = JSON.parse(document.querySelector('#looks')?.textContent ?? '{}')
  const views = [...document.querySelectorAll('div.table')].flatMap((part) => {
    const view = part instanceof HTMLElement ? viewOf(part, looks) : undefined
    if (view === undefined) return []
    const bar = part.querySelector('.bar')
    if (view.rows.length > 1 && bar instanceof HTMLElement) {
      addTools(view, bar)
      addSorting(view)
    }
    view.box.addEventListener('scroll', () => scrolled(view), { passive: true })
    return [view]
  })
  drawInSight(views)
  const print = (/** @type {boolean} */ is) => {
    if (paper.is === is) return
    paper.is = is
    for (const view of views) draw(view)
  }
  addEventListener('beforeprint', () => print(true))
  addEventListener('afterprint', () => print(false))
  matchMedia('print').addEventListener('change', ({ matches }) => print(matches))
  addEventListener('resize', () => views.forEach(scrolled))
  followSections()
}

start()
