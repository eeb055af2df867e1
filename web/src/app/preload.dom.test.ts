import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { signedIn } from '@/test/session';

const script = readFileSync('public/preload.js', 'utf8');

/** Runs the script at an address, as the build's tag for it would, and returns what it fetches. */
function fetchedAt(address: string): string[] {
  window.history.replaceState(null, '', address);
  const tag = document.createElement('script');
  tag.dataset.home = JSON.stringify(['/assets/home.js', '/assets/home.css']);
  tag.dataset.texts = JSON.stringify({ 'en-us': ['/assets/en-us.js'], 'tr-tr': ['/assets/tr-tr.js'] });
  vi.spyOn(document, 'currentScript', 'get').mockReturnValue(tag);
  new Function(script)();
  return [...document.head.querySelectorAll('link')].map((link) => `${link.rel} ${link.getAttribute('href')}`);
}

afterEach(() => {
  document.head.replaceChildren();
  window.history.replaceState(null, '', '/');
});

describe('the files of the home page', () => {
  it.each(['/', '/dashboard-default?device=WS-0001'])('are fetched at once at %s', (address) => {
    signedIn();
    expect(fetchedAt(address)).toEqual([
      'modulepreload /assets/home.js',
      'preload /assets/home.css',
      'modulepreload /assets/en-us.js',
    ]);
  });

  it('have texts in the language of the user', () => {
    signedIn();
    localStorage.setItem('tilth.language', 'tr-tr');
    expect(fetchedAt('/')).toContain('modulepreload /assets/tr-tr.js');
    localStorage.setItem('tilth.language', 'xx-xx');
    document.head.replaceChildren();
    expect(fetchedAt('/')).toEqual(['modulepreload /assets/home.js', 'preload /assets/home.css']);
  });

  it('are not fetched for other pages, or for nobody', () => {
    expect(fetchedAt('/dashboard-default')).toEqual([]);
    signedIn();
    expect(fetchedAt('/signin')).toEqual([]);
    expect(fetchedAt('/data')).toEqual([]);
  });
});
