import DownloadOutlined from '@ant-design/icons/DownloadOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import { Button, Dropdown } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { saveFile } from '@/lib/http/download';
import type { Axis, Column } from '../data/column';
import type { Caption } from './caption';

interface ExportMenuProps extends Caption {
  /** The drawn chart; null while a table is shown. */
  svg: () => SVGSVGElement | null;
  columns: readonly Column[];
  axis: Axis;
  disabled: boolean;
}

const kinds = ['png', 'svg', 'xlsx'] as const;
type Kind = (typeof kinds)[number];

const nextPaint = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** Saves what is seen as a picture, or its values as a workbook. */
export function ExportMenu({ svg, columns, axis, title, lines, disabled }: ExportMenuProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const button = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  // Whether there is a chart, as of when the menu was opened.
  const [drawn, setDrawn] = useState(true);
  const caption = { title, lines };

  const make = async (kind: Kind): Promise<Blob> => {
    if (kind === 'xlsx') {
      // A large workbook keeps the page busy for seconds; the button shows it before.
      await nextPaint();
      const { exportSheet } = await import('./sheet');
      return exportSheet(columns, axis, caption, t, format);
    }
    const chart = svg();
    if (!chart) throw new Error('no chart is drawn');
    const { exportImage } = await import('./image');
    return exportImage(chart, caption, kind);
  };
  const save = async (kind: Kind) => {
    const file = `device_analysis.${kind}`;
    setBusy(true);
    try {
      saveFile(await make(kind), file);
      toast.success(t('analysis.export.saved', { file }));
    } catch (error) {
      const tooLong = (error as Partial<Error> | null)?.name === 'SheetTooLong';
      toast.error(
        t('analysis.export.failed'),
        t(tooLong ? 'analysis.export.tooLong' : `analysis.export.advice.${kind}`),
      );
    } finally {
      setBusy(false);
    }
  };

  const turn = (open: boolean) => {
    if (open) setDrawn(svg() !== null);
    // When the menu closes, the focus returns from it to its button.
    else if (document.activeElement?.closest('[role=menu]')) button.current?.focus();
  };
  const items = kinds.map((kind) => ({
    key: kind,
    label: t(`analysis.export.kind.${kind}`),
    disabled: kind !== 'xlsx' && !drawn,
    onClick: () => void save(kind),
  }));
  return (
    <Dropdown menu={{ items }} autoFocus disabled={disabled || busy} trigger={['click']} onOpenChange={turn}>
      <Button
        ref={button}
        aria-haspopup="menu"
        icon={<DownloadOutlined aria-hidden="true" />}
        loading={busy}
        disabled={disabled}
      >
        {t('analysis.export.export')}
        <DownOutlined aria-hidden="true" />
      </Button>
    </Dropdown>
  );
}
