import './lab.css';
