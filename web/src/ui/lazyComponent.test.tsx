import { render, screen } from '@testing-library/react';
import { type ComponentType, useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { ErrorBoundary } from './ErrorBoundary';
import { lazyComponent } from './lazyComponent';

function Greeting({ name }: { name: string }) {
  return <p>Hello {name}</p>;
}

/** Retries on request. */
function Place({ Part }: { Part: ComponentType<{ name: string }> }) {
  const [turn, setTurn] = useState(1);
  const again = (
    <button type="button" onClick={() => setTurn(turn + 1)}>
      Again
    </button>
  );
  return (
    <ErrorBoundary key={turn} fallback={again}>
      <Part name="farm" />
    </ErrorBoundary>
  );
}

/** A module that loads when the test wants. */
function deferredModule() {
  const waiting: { come: () => void; fail: (error: Error) => void }[] = [];
  const code = vi.fn(
    () =>
      new Promise<{ Greeting: typeof Greeting }>((come, fail) =>
        waiting.push({ come: () => come({ Greeting }), fail }),
      ),
  );
  return { code, waiting };
}

describe('a lazy component', () => {
  it('renders nothing until its code is loaded, and later mounts at once', async () => {
    const { code, waiting } = deferredModule();
    const Later = lazyComponent(code, 'Greeting');
    expect(code).not.toHaveBeenCalled();
    const first = render(<Later name="farm" />);
    const other = render(<Later name="barn" />);
    expect(first.container).toBeEmptyDOMElement();
    waiting[0]?.come();
    expect(await screen.findByText('Hello farm')).toBeVisible();
    expect(await screen.findByText('Hello barn')).toBeVisible();
    other.unmount();
    first.rerender(<Later name="field" />);
    expect(screen.getByText('Hello field')).toBeVisible();
    first.unmount();
    render(<Later name="again" />);
    expect(screen.getByText('Hello again')).toBeVisible();
    expect(code).toHaveBeenCalledTimes(1);
  });

  it('throws to the boundary if its code fails to load, and fetches it again on retry', async () => {
    // React logs errors that a boundary has caught.
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { code, waiting } = deferredModule();
    const Later = lazyComponent(code, 'Greeting');
    render(<Place Part={Later} />);
    waiting[0]?.fail(new Error('no connection'));
    (await screen.findByRole('button', { name: 'Again' })).click();
    await vi.waitFor(() => expect(code).toHaveBeenCalledTimes(2));
    waiting[1]?.come();
    expect(await screen.findByText('Hello farm')).toBeVisible();
  });

  it('accepts code that arrives after it was unmounted', async () => {
    const { code, waiting } = deferredModule();
    const Later = lazyComponent(code, 'Greeting');
    render(<Later name="farm" />).unmount();
    waiting[0]?.come();
    await Promise.resolve();
    render(<Later name="farm" />);
    expect(screen.getByText('Hello farm')).toBeVisible();
    expect(code).toHaveBeenCalledTimes(1);
  });
});
