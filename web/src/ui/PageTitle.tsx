import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';
import { useDocumentTitle } from '@/lib/useDocumentTitle';
import css from './PageTitle.module.css';

/** The place in the top bar where a page's title stands; the shell provides it. */
export const PageTitleSlot = createContext<HTMLElement | null>(null);

interface PageTitleProps {
  title: string;
  /** One sentence of fact. */
  summary?: ReactNode;
}

/** The page's heading and its sentence, drawn in the top bar; without a shell it stands where it is written. */
export function PageTitle({ title, summary }: PageTitleProps) {
  const slot = useContext(PageTitleSlot);
  useDocumentTitle(title);

  const heading = (
    <>
      <h1 className={css.title} title={title}>
        {title}
      </h1>
      {summary ? <p className={css.summary}>{summary}</p> : null}
    </>
  );
  return slot ? createPortal(heading, slot) : heading;
}
