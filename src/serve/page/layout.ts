import { html } from 'hono/html'

/** Markup with all inserted values escaped. */
export type Html = ReturnType<typeof html>

export interface StatusPage {
  title: string
  /** The current entry in the navigation. */
  here?: '/' | '/runs' | '/reports'
  body: Html | readonly Html[]
}

export function layout({ title, here, body }: StatusPage): Html {
  const link = ([path, name]: readonly [string, string]): Html =>
    path === here
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Callsheet</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
</head>
<body>
<header>
<a class="brand" href="/">Callsheet</a>
<nav aria-label="Pages"><ul>${PLACES.map(link)}</ul></nav>
</header>
<main>
<h1>${title}</h1>
${body}
</main>
<footer><p>All times are UTC. This page only shows; the command line changes.</p></footer>
</body>
</html>
`
}

export function messagePage(title: string, text: string): Html {
  return layout({ title, body: html`<p class="note plain">${text}</p>` })
}

/** A section with a heading and an anchor. */
export function section(title: string, body: Html | readonly Html[]): Html {
  const id = title.toLowerCase().replace(/[^a-z]+/g, '-')
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>
`
}

/** Lets a name wrap at its underscores. */
export function breakable(name: string): Html {
  const [first = '', ...rest] = name.split('_')
  return html`${first}${rest.map((word) => html`_<wbr>${word}`)}`
}

export type Tone = 'good' | 'fair' | 'bad' | 'plain'

export function pill(tone: Tone, text: string): Html {
  return html`<span class="pill ${tone}">${text}</span>`
}

const PLACES = [
  ['/', 'Accounts'],
  ['/runs', 'Runs'],
  ['/reports', 'Reports'],
] as const
