import CheckOutlined from '@ant-design/icons/CheckOutlined';
import CopyOutlined from '@ant-design/icons/CopyOutlined';
import { Button, Tooltip } from 'antd';
import { type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '@/lib/dom/copyText';

interface CopyButtonProps {
  /** The element with the text. */
  textRef: RefObject<HTMLElement | null>;
  /** The button's action, for screen readers. */
  label: string;
  /** A primary button with a word beside the icon. */
  main?: boolean;
  /** Without a frame, in a row of a list. */
  quiet?: boolean;
  className?: string;
  /** The text was copied, or selected for copying by hand. */
  onCopied?: () => void;
}

const outcomeShownMs = 2500;

/**
 * Copies the text of an element. If the browser refuses, the text is selected instead, for the
 * person to copy.
 */
export function CopyButton({ textRef, label, main = false, quiet = false, className, onCopied }: CopyButtonProps) {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useState<'copied' | 'selected' | null>(null);

  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(null), outcomeShownMs);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    if (!textRef.current) return;
    setOutcome((await copyText(textRef.current)) ? 'copied' : 'selected');
    onCopied?.();
  };
  const words = outcome === 'copied' ? t('copy.done') : outcome === 'selected' ? t('copy.byHand') : '';

  return (
    <>
      <Tooltip open={outcome !== null} title={words}>
        <Button
          type={main ? 'primary' : quiet ? 'text' : 'default'}
          className={className}
          aria-label={label}
          title={main ? undefined : label}
          icon={outcome === 'copied' ? <CheckOutlined aria-hidden="true" /> : <CopyOutlined aria-hidden="true" />}
          onClick={copy}
        >
          {main ? t('copy.copy') : null}
        </Button>
      </Tooltip>
      <span className="visually-hidden" role="status">
        {words}
      </span>
    </>
  );
}
