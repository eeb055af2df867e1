import { Tooltip } from 'antd';
import css from './DerivationNote.module.css';

/** What the sensor shows, beside the mark that this stands in. */
export function CorrectedTip({ id, open, text }: { id: string; open: boolean; text: string }) {
  return (
    <Tooltip id={id} open={open} title={text}>
      <span className={css.anchor} />
    </Tooltip>
  );
}
