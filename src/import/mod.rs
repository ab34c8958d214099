//! What exists already, as a draft of a package. Nothing is guessed: what the draft cannot know is open in it, and what
//! it does not take over is listed.

pub mod slurm;
