import LeftOutlined from '@ant-design/icons/LeftOutlined';
import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';
import { useDocumentTitle } from '@/lib/hooks/useDocumentTitle';
import { IconButton } from './IconButton';
import css from './PageTitle.module.css';

/** The element in the top bar for a page's title; the shell provides it. */
export const PageTitleSlot = createContext<HTMLElement | null>(null);

interface PageTitleProps {
  title: string;
  /** One factual sentence. */
  summary?: ReactNode;
  /** For a step within the page, on a phone. */
  back?: { label: string; onClick: () => void };
}

/** The page's heading and summary, rendered in the top bar; without a shell in place. */
export function PageTitle({ title, summary, back }: PageTitleProps) {
  const slot = useContext(PageTitleSlot);
  useDocumentTitle(title);

  const heading = (
    <>
      {back ? (
        <span className={css.back} data-back="">
          <IconButton label={back.label} icon={<LeftOutlined aria-hidden="true" />} onClick={back.onClick} />
        </span>
      ) : null}
      <h1 className={css.title} title={title}>
        {title}
      </h1>
      {summary ? (
        <p className={css.summary} title={typeof summary === 'string' ? summary : undefined}>
          {summary}
        </p>
      ) : null}
    </>
  );
  return slot ? createPortal(heading, slot) : heading;
}
