//! A request for quotes: the lines that suppliers are asked for, without any price, in lots.
