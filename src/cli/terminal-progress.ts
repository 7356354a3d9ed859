import { Listr, type ListrTask } from 'listr2'
import type { Pace, Progress, Step } from './progress.ts'

/** One line for each stream, which moves until its last slice is done or the run ends. */
export function terminalProgress(title: string, streams: readonly string[], pace: Pace): Progress {
  const lines = new Map(streams.map((stream) => [stream, createLine(stream)]))
  const list = new Listr(
    [
      {
        title,
        task: (_context, task) =>
          task.newListr(
            [...lines.values()].map((line) => line.task),
            { concurrent: true },
          ),
      },
    ],
    {
      // Signals are ours: listr2 would end the process at once.
      registerSignalListeners: false,
      rendererOptions: { collapseSubtasks: false, showSubtasks: true },
    },
  )
  const running = list.run().catch(() => {})
  return {
    step: (step) => lines.get(step.stream)?.show(step, pace(step)),
    async end() {
      for (const line of lines.values()) line.end()
      await running
    },
  }
}

interface Line {
  task: ListrTask
  show(step: Step, text: string): void
  end(): void
}

function createLine(stream: string): Line {
  const ended = Promise.withResolvers<void>()
  let text = stream
  let say: (text: string) => void = () => {}
  let started = false
  return {
    task: {
      title: stream,
      task: async (_context, task) => {
        say = (title) => {
          task.title = title
        }
        say(text)
        await ended.promise
        if (!started) task.skip(`${stream}: nothing due`)
      },
    },
    show(step, said) {
      started = true
      text = `${stream}: ${said}`
      say(text)
      if (step.slicesPlanned > 0 && step.slicesDone >= step.slicesPlanned) ended.resolve()
    },
    end: () => ended.resolve(),
  }
}
