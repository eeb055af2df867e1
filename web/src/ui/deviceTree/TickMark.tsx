import CheckOutlined from '@ant-design/icons/CheckOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import css from './TickMark.module.css';

/** Whether something is ticked; `mixed` for a partly ticked group. */
export type Tick = boolean | 'mixed';

interface TickMarkProps {
  ticked: Tick;
  /**
   * Set if a click on the box differs from one on the element around it. The element around it
   * handles keys.
   */
  onClick?: () => void;
}

/** The box alone; the element around it gives its state to a screen reader. */
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
