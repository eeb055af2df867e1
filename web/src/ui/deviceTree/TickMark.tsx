import CheckOutlined from '@ant-design/icons/CheckOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import css from './TickMark.module.css';

/** Whether something is ticked; a group of which only some are is mixed. */
export type Tick = boolean | 'mixed';

interface TickMarkProps {
  ticked: Tick;
  /** Where a click on the box does something else than one on what it stands in. Keys go to what is around it. */
  onClick?: () => void;
}

/** The box alone; what it stands in says its state to a screen reader. */
export function TickMark({ ticked, onClick }: TickMarkProps) {
  return (
    <span
      className={css.target}
      aria-hidden="true"
      onClick={
        onClick &&
        ((event) => {
          event.stopPropagation();
          onClick();
        })
      }
    >
      <span className={`${css.tick} ${ticked ? css.ticked : ''}`}>
        {ticked === true ? <CheckOutlined /> : null}
        {ticked === 'mixed' ? <MinusOutlined /> : null}
      </span>
    </span>
  );
}
