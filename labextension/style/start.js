import './module-error.css';
